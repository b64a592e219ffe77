package dev.berth.server.api.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.access.Role;
import dev.berth.core.access.Via;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.http.Caller;
import dev.berth.http.RejectedException;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Who may stop a run. */
class FileRunOwnerTest {

    private static final FileRun ANNS =
            new FileRun(
                    3,
                    FileMode.SINGLE,
                    OptionalInt.empty(),
                    "/x.txt",
                    FileRun.Origin.TERMINAL,
                    Owner.unix("ann"),
                    Instant.EPOCH,
                    new TaskId(1),
                    1,
                    List.of(),
                    new FileRun.Stage.Running());

    @Test
    void onlyOwnerAndAdminStopARun() {
        assertThatCode(() -> FileRunRoutes.requireOwnerOrAdmin(caller("ann", false), ANNS))
                .doesNotThrowAnyException();
        assertThatCode(() -> FileRunRoutes.requireOwnerOrAdmin(caller("bob", true), ANNS))
                .doesNotThrowAnyException();
        var refused =
                catchThrowableOfType(
                        RejectedException.class,
                        () -> FileRunRoutes.requireOwnerOrAdmin(caller("bob", false), ANNS));
        assertThat(refused.response().status()).isEqualTo(403);
    }

    private static Caller caller(String name, boolean isAdmin) {
        return new Caller(
                Owner.unix(name),
                1000,
                isAdmin ? Role.ADMIN : Role.USER,
                Via.SOCKET,
                Optional.empty());
    }
}
