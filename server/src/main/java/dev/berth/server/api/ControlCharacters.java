package dev.berth.server.api;

/** Control characters and line separators, which names must not contain. */
public final class ControlCharacters {

    private ControlCharacters() {}

    public static boolean areIn(String text) {
        return text.codePoints()
                .anyMatch(
                        c ->
                                switch (Character.getType(c)) {
                                    case Character.CONTROL,
                                            Character.LINE_SEPARATOR,
                                            Character.PARAGRAPH_SEPARATOR ->
                                            true;
                                    default -> false;
                                });
    }
}
