package dev.berth.store;

import java.util.Locale;

/** The stored form of an enum constant: its name in lower case. */
final class EnumText {

    private EnumText() {}

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    static <E extends Enum<E>> E parse(Class<E> type, String name) {
        return Enum.valueOf(type, name.toUpperCase(Locale.ROOT));
    }
}
