package dev.berth.engine.port;

import dev.berth.core.task.Said;
import dev.berth.core.task.Task;

import java.util.Optional;

/** What the scripts of lanes' tasks say of their end. */
@FunctionalInterface
public interface Reports {

    /** Where nobody says anything. */
    Reports NONE = _ -> Optional.empty();

    /** What has been said of the try that is under way. */
    Optional<Said> of(Task task);
}
