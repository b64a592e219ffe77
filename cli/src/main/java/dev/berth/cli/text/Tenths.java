package dev.berth.cli.text;

/** Numbers with one place, by hand: the JDK's formatter is slow to load. */
public final class Tenths {

    private Tenths() {}

    /** {@code 25.0}, {@code -0.5}. */
    public static String of(double number) {
        long tenths = Math.round(Math.abs(number) * 10);
        return (number < 0 && tenths > 0 ? "-" : "") + tenths / 10 + "." + tenths % 10;
    }
}
