package dev.berth.core.commandfile;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A number as written in a file; which values are allowed depends on its position.
 *
 * @param whole the digits before the point, without leading zeros
 * @param fraction the digits after the point, without trailing zeros
 * @param isSigned preceded by a plus or minus
 * @param hasUnit followed by a unit (gigabytes)
 */
record NumberLiteral(
        String whole, String fraction, boolean isSigned, boolean hasUnit, boolean hasPoint) {

    static final int MAX_GB = 1_000_000;

    private static final int MIB_PER_GB = 1024;

    /** This many decimals fit into a long even when multiplied by 1024. */
    private static final int DECIMALS = 12;

    private static final long SCALE = 1_000_000_000_000L;

    /** A plain whole number up to {@code most}; empty otherwise. */
    OptionalInt intUpTo(int most) {
        if (isSigned || hasUnit || hasPoint || whole.length() > 10) {
            return OptionalInt.empty();
        }
        long value = number(whole);
        return value <= most ? OptionalInt.of((int) value) : OptionalInt.empty();
    }

    /** The number of gigabytes in MiB, rounded up; empty if negative or too large. */
    OptionalLong mib() {
        if (isSigned || whole.length() > 7) {
            return OptionalLong.empty();
        }
        long decimals = 0;
        for (int i = 0; i < DECIMALS; i++) {
            decimals = decimals * 10 + (i < fraction.length() ? fraction.charAt(i) - '0' : 0);
        }
        // Digits after the twelfth decimal cannot add another MiB: both terms are multiples of
        // 1024, so the remainder of the division is at least 1024 below the next MiB.
        long parts = decimals * MIB_PER_GB;
        boolean hasRemainder = parts % SCALE != 0 || fraction.length() > DECIMALS;
        long mib = number(whole) * MIB_PER_GB + parts / SCALE + (hasRemainder ? 1 : 0);
        return mib <= (long) MAX_GB * MIB_PER_GB ? OptionalLong.of(mib) : OptionalLong.empty();
    }

    /** The shortest number of gigabytes that is parsed as {@code mib}. */
    static String formatGb(long mib) {
        long scale = 1;
        // Ends at four decimals at the latest: they are finer than one MiB.
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
