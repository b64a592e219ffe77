package dev.berth.core.offenders;

/** Has an accessor with a get prefix. */
public record GetPrefixed(String name) {
    public String getName() {
        return name;
    }
}
