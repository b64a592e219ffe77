package dev.berth.cli.text;

/** Formats numbers with one decimal. Does not use the JDK's formatter, which is slow to load. */
public final class DecimalText {

    private DecimalText() {}

    /** {@code 25.0}, {@code -0.5}. */
    public static String oneDecimal(double number) {
        long tenths = Math.round(Math.abs(number) * 10);
        return (number < 0 && tenths > 0 ? "-" : "") + tenths / 10 + "." + tenths % 10;
    }
}
