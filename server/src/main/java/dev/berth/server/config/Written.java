package dev.berth.server.config;

import java.util.List;
import java.util.stream.Collectors;

/** A value as somebody wrote it. */
sealed interface Written {

    /**
     * @param isPlain without quotes, so that it may mean something else than its letters
     */
    record Scalar(String text, boolean isPlain) implements Written {}

    record Items(List<Scalar> items) implements Written {
        public Items {
            items = List.copyOf(items);
        }
    }

    /** {@code null}, {@code ~} or nothing at all: as if the key were not there. */
    record Nothing() implements Written {}

    /** A mapping where a value belongs. */
    record Mapping() implements Written {}

    /** A list of groups; what is in them stands under {@code key[0].name} and so on. */
    record Rows(int count) implements Written {}

    /** For messages, short enough to be said back. */
    default String shown() {
        var text =
                switch (this) {
                    case Scalar(var own, _) -> '"' + own + '"';
                    case Items(var items) ->
                            items.stream()
                                    .map(Scalar::text)
                                    .collect(Collectors.joining(", ", "[", "]"));
                    case Nothing _ -> "nothing";
                    case Mapping _ -> "a group of keys";
                    case Rows _ -> "a list of groups";
                };
        return text.length() > 60 ? text.substring(0, 60) + "…" : text;
    }
}
