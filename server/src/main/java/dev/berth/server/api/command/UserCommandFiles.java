package dev.berth.server.api.command;

import dev.berth.core.Rejected;
import dev.berth.core.task.Owner;
import dev.berth.http.Caller;
import dev.berth.http.RejectedException;
import dev.berth.identity.ServedUsers;
import dev.berth.identity.UserAccess;
import dev.berth.runs.CommandFiles;
import dev.berth.runs.FileRuns;
import dev.berth.runs.LogBindings;
import dev.berth.runs.RunResources;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A set of command files for each user, in a directory of the server that is named by the uid: only
 * its user starts what is in it. Log bindings are not used there, because they name files that the
 * server would read with its own rights.
 */
public record UserCommandFiles(RunResources common, FileRuns runs, ServedUsers users)
        implements CommandFileSets {

    /** Below the server's home. */
    private static final String DIRECTORY = "users";

    /** How the names of runs of such files begin. */
    public static final String PREFIX = DIRECTORY + "/";

    @Override
    public RunResources of(Caller caller, Optional<String> user) throws RejectedException {
        requireMay(caller, user);
        if (user.isEmpty() || user.get().equals(caller.owner().name())) {
            return set(caller.owner(), caller.uid());
        }
        if (users.named(user.get()) instanceof UserAccess.Served served) {
            return set(served.owner(), served.uid());
        }
        throw new RejectedException(
                Rejected.invalid("user.unknown", "user").with("user", user.get()));
    }

    /** Only an admin names another user. */
    static void requireMay(Caller caller, Optional<String> user) throws RejectedException {
        if (!caller.isAdmin()
                && user.filter(name -> !name.equals(caller.owner().name())).isPresent()) {
            throw new RejectedException(Rejected.forbidden("user.not_you"));
        }
    }

    private RunResources set(Owner owner, int uid) {
        var directory = directory().resolve(Integer.toUnsignedString(uid));
        return new RunResources(
                new CommandFiles(directory, () -> directory.resolve("command.txt"), common.paths()),
                new LogBindings(directory),
                common.logAccess(),
                (mode, index) -> runs.runId(mode, index, run -> run.owner().equals(owner)),
                common.settings(),
                common.paths());
    }

    private Path directory() {
        return common.settings().home().resolve(DIRECTORY);
    }
}
