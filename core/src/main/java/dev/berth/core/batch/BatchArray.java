package dev.berth.core.batch;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The tasks of {@code --array}, for example {@code 0-15:4%2}.
 *
 * @param indices in ascending order
 * @param atOnce how many of them may run at the same time
 */
public record BatchArray(List<Integer> indices, OptionalInt atOnce) {

    private static final Pattern PART =
            Pattern.compile("(\\d{1,7})(?:-(\\d{1,7})(?::(\\d{1,7}))?)?");
    private static final Pattern WHOLE = Pattern.compile("([^%]+)(?:%(\\d{1,7}))?");

    public BatchArray {
        indices = List.copyOf(indices);
    }

    /**
     * @param max more indices than this make it invalid
     * @return empty if the text is no array
     */
    public static Optional<BatchArray> parse(String text, int max) {
        var whole = WHOLE.matcher(text.strip());
        if (!whole.matches()) {
            return Optional.empty();
        }
        var indices = new TreeSet<Integer>();
        for (var part : whole.group(1).split(",", -1)) {
            if (!add(part, indices, max)) {
                return Optional.empty();
            }
        }
        var limit = Optional.ofNullable(whole.group(2)).map(Integer::parseInt);
        return limit.filter(number -> number < 1).isPresent()
                ? Optional.empty()
                : Optional.of(
                        new BatchArray(
                                List.copyOf(indices),
                                limit.map(OptionalInt::of).orElse(OptionalInt.empty())));
    }

    private static boolean add(String part, SortedSet<Integer> indices, int max) {
        var found = PART.matcher(part);
        if (!found.matches()) {
            return false;
        }
        int first = Integer.parseInt(found.group(1));
        int last = found.group(2) == null ? first : Integer.parseInt(found.group(2));
        int step = found.group(3) == null ? 1 : Integer.parseInt(found.group(3));
        if (last < first || step < 1) {
            return false;
        }
        for (int index = first; index <= last; index += step) {
            indices.add(index);
            if (indices.size() > max) {
                return false;
            }
        }
        return true;
    }
}
