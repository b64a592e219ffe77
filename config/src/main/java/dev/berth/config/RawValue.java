package dev.berth.config;

import java.util.List;
import java.util.stream.Collectors;

/** A value as written in a source, before it is parsed. */
sealed interface RawValue {

    /**
     * @param isPlain without quotes, so that YAML may give it another type than text
     */
    record Scalar(String text, boolean isPlain) implements RawValue {}

    record ScalarList(List<Scalar> items) implements RawValue {
        public ScalarList {
            items = List.copyOf(items);
        }
    }

    /** {@code null}, {@code ~} or an empty value: the same as a missing key. */
    record NullValue() implements RawValue {}

    /** A mapping in place of a value. */
    record Mapping() implements RawValue {}

    /** A list of mappings; their keys are listed as {@code key[0].name} and so on. */
    record MappingList(int count) implements RawValue {}

    /** Shortened for messages. */
    default String shortText() {
        var text =
                switch (this) {
                    case Scalar(var own, _) -> '"' + own + '"';
                    case ScalarList(var items) ->
                            items.stream()
                                    .map(Scalar::text)
                                    .collect(Collectors.joining(", ", "[", "]"));
                    case NullValue _ -> "nothing";
                    case Mapping _ -> "a group of keys";
                    case MappingList _ -> "a list of groups";
                };
        return text.length() > 60 ? text.substring(0, 60) + "…" : text;
    }
}
