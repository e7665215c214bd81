/**
 * What `@peculiar/x509` needs before it is loaded. A module of its own, since a bundle whose chunks
 * are shared would run it after the library: import it first.
 */
import "reflect-metadata";
