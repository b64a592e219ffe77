package dev.berth.wire.offenders;

/** Has one component too many, even for wire. */
public record TwentyOneComponents(
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
        int m,
        int n,
        int o,
        int p,
        int q,
        int r,
        int s,
        int t,
        int u) {}
