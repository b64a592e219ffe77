package dev.berth.core.id;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A set of task ids as ascending ranges, written {@code 1-480,483}. */
public record TaskRanges(List<Range> ranges) {

    private static final String SEPARATOR = ",";
    private static final String DASH = "-";

    /** Both ends belong to it. */
    public record Range(long first, long last) {
        public Range {
            if (first < 1 || last < first) {
                throw new IllegalArgumentException("not a range of ids: " + first + DASH + last);
            }
        }

        @Override
        public String toString() {
            return first == last ? Long.toString(first) : first + DASH + last;
        }
    }

    public TaskRanges {
        ranges = List.copyOf(ranges);
    }

    public static TaskRanges of(Collection<TaskId> ids) {
        var ranges = new ArrayList<Range>();
        for (var id : new TreeSet<>(ids)) {
            if (!ranges.isEmpty() && ranges.getLast().last() + 1 == id.value()) {
                ranges.add(new Range(ranges.removeLast().first(), id.value()));
            } else {
                ranges.add(new Range(id.value(), id.value()));
            }
        }
        return new TaskRanges(ranges);
    }

    /**
     * @throws IllegalArgumentException the text is not what {@link #toString} writes
     */
    public static TaskRanges parse(String text) {
        var ranges = new ArrayList<Range>();
        for (var part : text.split(SEPARATOR, -1)) {
            var ends = part.split(DASH, 2);
            ranges.add(new Range(Long.parseLong(ends[0]), Long.parseLong(ends[ends.length - 1])));
        }
        return new TaskRanges(ranges);
    }

    public boolean contains(TaskId id) {
        return ranges.stream()
                .anyMatch(range -> range.first() <= id.value() && id.value() <= range.last());
    }

    /** The number of ids. */
    public int count() {
        return (int) ranges.stream().mapToLong(range -> range.last() - range.first() + 1).sum();
    }

    @Override
    public String toString() {
        return ranges.stream().map(Range::toString).collect(Collectors.joining(SEPARATOR));
    }
}
