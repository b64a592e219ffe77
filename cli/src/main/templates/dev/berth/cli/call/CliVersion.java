package dev.berth.cli.call;

/** The version of this program. A constant, because reading a manifest means opening a jar. */
public final class CliVersion {

    public static final String CURRENT = "${project.version}";

    private CliVersion() {}
}
