package dev.berth.cli.call;

/** The version of this program, as a constant: a manifest would have to be opened to be read. */
public final class CliVersion {

    public static final String CURRENT = "0.1.0";

    private CliVersion() {}
}
