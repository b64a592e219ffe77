package dev.berth.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.Mode;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskId;
import dev.berth.server.http.Caller;
import dev.berth.server.http.Refused;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/** Whose run may be stopped by whom. */
class RunOwnersTest {

    private static final LaneRun ANNS =
            new LaneRun(
                    3,
                    Mode.SINGLE,
                    OptionalInt.empty(),
                    "/x.txt",
                    LaneRun.Origin.TERMINAL,
                    Owner.unix("ann"),
                    Instant.EPOCH,
                    new TaskId(1),
                    1,
                    new LaneRun.Stage.Live());

    @Test
    void theOwnerAndAnAdminStopARunAndNobodyElse() {
        assertThatCode(() -> RunRoutes.require(caller("ann", false), ANNS))
                .doesNotThrowAnyException();
        assertThatCode(() -> RunRoutes.require(caller("bob", true), ANNS))
                .doesNotThrowAnyException();
        var refused =
                catchThrowableOfType(
                        Refused.class, () -> RunRoutes.require(caller("bob", false), ANNS));
        assertThat(refused.answer().status()).isEqualTo(403);
    }

    private static Caller caller(String name, boolean isAdmin) {
        return new Caller(Owner.unix(name), isAdmin, Caller.Via.SOCKET, Optional.empty());
    }
}
