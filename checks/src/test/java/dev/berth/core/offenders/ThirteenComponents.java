package dev.berth.core.offenders;

/** Has one component too many. */
public record ThirteenComponents(
        int a,
        int b,
        int c,
        int d,
        int e,
        int f,
        int g,
        int h,
        int i,
        int j,
        int k,
        int l,
        int m) {}
