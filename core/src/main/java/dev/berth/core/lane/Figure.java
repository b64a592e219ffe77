package dev.berth.core.lane;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A number as it is written; what it may be depends on the place where it stands.
 *
 * @param whole the digits before the point, leading zeros left out
 * @param fraction the digits after the point, trailing zeros left out
 * @param isSigned a plus or minus stands before it
 * @param hasUnit it is said to be gigabytes
 * @param hasPoint it is written as a decimal
 */
record Figure(String whole, String fraction, boolean isSigned, boolean hasUnit, boolean hasPoint) {

    static final int MOST_GB = 1_000_000;

    private static final int MIB_PER_GB = 1024;

    /** So many decimals fit a long even when multiplied by 1024. */
    private static final int DECIMALS = 12;

    private static final long SCALE = 1_000_000_000_000L;

    /** A bare whole number up to this one. */
    OptionalInt upTo(int most) {
        if (isSigned || hasUnit || hasPoint || whole.length() > 10) {
            return OptionalInt.empty();
        }
        long value = number(whole);
        return value <= most ? OptionalInt.of((int) value) : OptionalInt.empty();
    }

    /** So many gigabytes in MiB, rounded up; nothing where it is below zero or beyond measure. */
    OptionalLong mib() {
        if (isSigned || whole.length() > 7) {
            return OptionalLong.empty();
        }
        long decimals = 0;
        for (int i = 0; i < DECIMALS; i++) {
            decimals = decimals * 10 + (i < fraction.length() ? fraction.charAt(i) - '0' : 0);
        }
        // Whatever stands behind the twelfth decimal cannot lift it past another MiB: 1024 and
        // 10^12 have the divisor 1024, so what is left of the division is at least that far off.
        long parts = decimals * MIB_PER_GB;
        boolean isBroken = parts % SCALE != 0 || fraction.length() > DECIMALS;
        long mib = number(whole) * MIB_PER_GB + parts / SCALE + (isBroken ? 1 : 0);
        return mib <= (long) MOST_GB * MIB_PER_GB ? OptionalLong.of(mib) : OptionalLong.empty();
    }

    /** The shortest number of gigabytes that is read as so many MiB. */
    static String gigabytes(long mib) {
        long scale = 1;
        // Four decimals are finer than a MiB is.
        for (int decimals = 0; ; decimals++, scale *= 10) {
            long scaled = Math.multiplyExact(mib, scale) / MIB_PER_GB;
            if (mib == 0 || scaled * MIB_PER_GB > (mib - 1) * scale) {
                var digits = Long.toString(scaled % scale);
                return decimals == 0
                        ? Long.toString(scaled)
                        : scaled / scale + "." + "0".repeat(decimals - digits.length()) + digits;
            }
        }
    }

    private static long number(String digits) {
        return digits.isEmpty() ? 0 : Long.parseLong(digits);
    }
}
