package dev.berth.port.event;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;

import java.util.Optional;

/** Events of the server itself. */
public sealed interface ServerPayload extends EventPayload {

    record ServerStarted(long epoch) implements ServerPayload {}

    /**
     * A rule was changed, or a setting was saved for the next start.
     *
     * @param change empty in events of earlier versions
     */
    record RulesChanged(Optional<KeyChange> change) implements ServerPayload {}

    /** A key of the configuration, with its value before and after. No such key is a secret. */
    record KeyChange(String key, String from, String to) {}

    record SchedulerStarted() implements ServerPayload {}

    record SchedulerStopped() implements ServerPayload {}

    /**
     * What was learned from ended runs is forgotten.
     *
     * @param fingerprint the kind of task, or {@code all}
     * @param name of these tasks; empty for all kinds
     * @param owner of these tasks; empty for those of everyone
     * @param count how many kinds
     */
    record LearnedForgotten(String fingerprint, String name, String owner, int count)
            implements ServerPayload {}

    record TokenCreated(TokenRef token) implements ServerPayload {}

    record TokenRevoked(TokenRef token) implements ServerPayload {}

    /**
     * A token without its secret.
     *
     * @param owner the name of its owner
     */
    record TokenRef(TokenId id, Token.Kind kind, String name, String owner) {
        public static TokenRef of(Token token) {
            return new TokenRef(
                    token.id(),
                    token.credential().kind(),
                    token.credential().name(),
                    token.owner().name());
        }
    }
}
