package dev.berth.core.offenders;

/** Offends by an accessor that a record does not need. */
public record GetPrefixed(String name) {
    public String getName() {
        return name;
    }
}
