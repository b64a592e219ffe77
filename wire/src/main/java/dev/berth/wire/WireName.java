package dev.berth.wire;

import java.util.Locale;

/** The JSON name of a record component. */
public final class WireName {

    private WireName() {}

    /** Every capital begins a word: {@code structureNAtoms} is {@code structure_n_atoms}. */
    public static String of(String component) {
        var name = new StringBuilder();
        for (int i = 0; i < component.length(); i++) {
            char c = component.charAt(i);
            name.append(Character.isUpperCase(c) ? "_" : "").append(c);
        }
        return name.toString().toLowerCase(Locale.ROOT);
    }
}
