package dev.berth.testkit;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;
import dev.berth.port.read.TaskOrder;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Filters, orders and limits the tasks of the in-memory store. */
final class TaskListing {

    private static final Comparator<String> BY_BYTES =
            Comparator.comparing(
                    text -> text.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private TaskListing() {}

    /**
     * @param tasks all tasks, oldest first
     */
    static Stream<Task> of(List<Task> tasks, Filter filter, Page page) {
        var order = comparator(page.order());
        var last =
                tasks.stream()
                        .filter(
                                task ->
                                        page.after().stream()
                                                .anyMatch(after -> after == task.id().value()))
                        .findFirst();
        return tasks.stream()
                .filter(task -> matches(task, filter))
                .filter(task -> isWithin(task.id(), page))
                .filter(task -> last.stream().allMatch(one -> order.compare(task, one) > 0))
                .sorted(order)
                .limit(page.limit().orElse(Integer.MAX_VALUE));
    }

    static boolean matches(Task task, Filter filter) {
        return filter.status().stream().allMatch(task.state().apiName()::equals)
                && filter.source().map(task.spec().source()::equals).orElse(!task.spec().isWorker())
                && filter.owner().stream().allMatch(task.owner().name()::equals)
                && filter.words().stream().allMatch(word -> contains(task, word))
                && (!filter.isEnded() || task.state().isFinal());
    }

    private static boolean contains(Task task, String word) {
        var need = task.spec().requirements().need();
        var type = need instanceof Need.Gpus gpus ? gpus.type().orElse("") : "";
        return Stream.of(task.spec().name(), task.owner().name(), type, "#" + task.id())
                .anyMatch(text -> lower(text).contains(lower(word)));
    }

    /** Like SQLite: only the letters A to Z. */
    private static String lower(String text) {
        var lower = new StringBuilder(text);
        for (int i = 0; i < lower.length(); i++) {
            if (lower.charAt(i) < 128) {
                lower.setCharAt(i, Character.toLowerCase(lower.charAt(i)));
            }
        }
        return lower.toString();
    }

    /** An id that no task has counts in the order by id only. */
    private static boolean isWithin(TaskId id, Page page) {
        boolean isById = page.order().key() == TaskOrder.Key.ID && page.after().orElse(0) > 0;
        return page.before().stream().allMatch(before -> id.compareTo(before) < 0)
                && (!isById
                        || (page.order().isDescending()
                                ? id.value() < page.after().getAsLong()
                                : id.value() > page.after().getAsLong()));
    }

    private static Comparator<Task> comparator(TaskOrder order) {
        Comparator<Task> byId = Comparator.comparing(Task::id);
        Comparator<Task> ascending =
                switch (order.key()) {
                    case ID -> byId;
                    case NAME ->
                            Comparator.comparing((Task task) -> lower(task.spec().name()), BY_BYTES)
                                    .thenComparing(byId);
                    case OWNER ->
                            Comparator.comparing((Task task) -> task.owner().name(), BY_BYTES)
                                    .thenComparing(byId);
                    case END -> Comparator.comparing(TaskListing::end).thenComparing(byId);
                };
        return order.isDescending() ? ascending.reversed() : ascending;
    }

    private static Instant end(Task task) {
        return task.state().isFinal() ? MemoryStore.endOf(task) : Instant.MIN;
    }
}
