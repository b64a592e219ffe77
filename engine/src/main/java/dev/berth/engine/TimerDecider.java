package dev.berth.engine;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.StopCause;
import dev.berth.engine.GpuSuspicions.UnreadableSince;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.GpuAlert;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides what becomes due with time: ends backoffs, stops attempts that reported their end but did
 * not exit, and raises alerts for unreadable GPUs.
 */
final class TimerDecider {

    /** Time to exit for an attempt whose script reported its end. */
    static final Duration EXIT_GRACE = Duration.ofSeconds(30);

    /**
     * A single GPU that is unreadable for this time raises an alert. A GPU that is gone has been
     * reported as failed by then.
     */
    static final Duration UNREADABLE_LIMIT = Duration.ofSeconds(5);

    private TimerDecider() {}

    static void decide(Decision decision) {
        decision.setState(decision.state().withBackoffsEnded(decision.at()));
        var late =
                reportedButRunning(decision.state())
                        .filter(one -> !exitDeadline(one).isAfter(decision.at()))
                        .toList();
        for (var attempt : late) {
            decision.save(
                    attempt.after(new PhaseTransition.Stop(StopCause.SAID_OVER, decision.at())));
            decision.addEvent(
                    Owner.BERTH,
                    attempt.id(),
                    new AttemptPayload.AttemptStopping(StopCause.SAID_OVER));
            decision.addEffect(new Effect.Stop(attempt.id()));
        }
        alertUnreadable(decision);
    }

    private static void alertUnreadable(Decision decision) {
        var doubts = decision.state().sinceStart().gpuSuspicions();
        var blind = doubts.unreadable();
        for (var entry : doubts.unreadable()) {
            var one = entry.getValue();
            if (one.isReported() || one.since().plus(UNREADABLE_LIMIT).isAfter(decision.at())) {
                continue;
            }
            blind = blind.with(entry.getKey(), new UnreadableSince(one.since(), one.why(), true));
            var card = decision.state().gpus().get(entry.getKey()).orElseThrow().gpu();
            decision.addEvent(new GpuAlert.GpuUnreadable(GpuAlert.GpuRef.of(card), one.why()));
        }
        decision.setState(
                decision.state().with(decision.state().sinceStart().with(doubts.with(blind))));
    }

    /** When {@link #decide} has work to do next. */
    static Optional<Instant> due(EngineState state) {
        var rest = state.waiting().delayed().first().map(entry -> entry.getKey().until());
        var blind =
                state.sinceStart()
                        .gpuSuspicions()
                        .unreadable()
                        .values()
                        .filter(one -> !one.isReported())
                        .map(one -> one.since().plus(UNREADABLE_LIMIT));
        return Stream.of(
                        rest.stream(),
                        reportedButRunning(state).map(TimerDecider::exitDeadline),
                        blind)
                .flatMap(times -> times)
                .min(Comparator.naturalOrder());
    }

    private static Stream<Attempt> reportedButRunning(EngineState state) {
        return state.attempts()
                .values()
                .filter(
                        one ->
                                one.scriptReport().isPresent()
                                        && one.phase() instanceof Phase.Running);
    }

    private static Instant exitDeadline(Attempt attempt) {
        return attempt.scriptReport().orElseThrow().at().plus(EXIT_GRACE);
    }
}
