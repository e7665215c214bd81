/** ISO 4217 numeric codes, also those that ended lately: networks go on with them for a while. */
export const currencyCodes: ReadonlySet<string> = new Set(
  [
    "008 012 032 036 044 048 050 051 052 060 064 068 072 084 090 096 104 108 116 124 132 136 144 152",
    "156 170 174 188 191 192 203 208 214 222 230 232 238 242 262 270 292 320 324 328 332 340 344 348",
    "352 356 360 364 368 376 388 392 398 400 404 408 410 414 417 418 422 426 430 434 446 454 458 462",
    "480 484 496 498 504 512 516 524 532 533 548 554 558 566 578 586 590 598 600 604 608 634 643 646",
    "654 682 690 694 702 704 706 710 728 748 752 756 760 764 776 780 784 788 800 807 818 826 834 840",
    "858 860 882 886 901 924 925 926 927 928 929 930 931 932 933 934 936 937 938 940 941 943 944 946",
    "947 948 949 950 951 952 953 955 956 957 958 959 960 961 962 963 964 965 967 968 969 970 971 972",
    "973 974 975 976 977 978 979 980 981 984 985 986 990 994 997 999",
  ].flatMap((codes) => codes.split(" ")),
);

/** Currencies whose minor unit is no hundredth, with their numeric code and number of decimals. */
const exceptions: readonly (readonly [codes: string, decimals: number])[] = [
  ["BIF 108 CLP 152 DJF 262 GNF 324 ISK 352 JPY 392 KMF 174 KRW 410 PYG 600 RWF 646 UGX 800", 0],
  ["UYI 940 VND 704 VUV 548 XAF 950 XOF 952 XPF 953", 0],
  ["BHD 048 IQD 368 JOD 400 KWD 414 LYD 434 OMR 512 TND 788", 3],
  ["CLF 990 UYW 927", 4],
];
const decimals = new Map(
  exceptions.flatMap(([codes, count]) => codes.split(" ").map((code) => [code, count])),
);

/** Takes an alphabetic or a numeric code. */
export function countDecimals(currency: string): number {
  return decimals.get(currency) ?? 2;
}

/** Minor units as a decimal number, such as `-12.05`. Currencies of Programs have two decimals. */
export function toDecimal(amountMinor: number, decimals = 2): string {
  const digits = String(Math.abs(amountMinor)).padStart(decimals + 1, "0");
  const fraction = decimals > 0 ? `.${digits.slice(-decimals)}` : "";
  return `${amountMinor < 0 ? "-" : ""}${digits.slice(0, digits.length - decimals)}${fraction}`;
}
