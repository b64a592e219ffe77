package dev.berth.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.Owner;
import dev.berth.engine.Command;
import dev.berth.engine.Engine;
import dev.berth.engine.Reply;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.StoreFailure;
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tokens and sessions, as the engine gives them out and takes them back. */
class TokensTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final Owner BOB = Owner.unix("bob");

    private final MemoryStore store = new MemoryStore();
    private Engine engine;
    private Instant now = Instant.parse("2025-11-15T08:00:00Z");

    @BeforeEach
    void start() throws Exception {
        var parts =
                new Engine.Parts(
                        store, new RecordingNode(), new Planner(Rules.USUAL), Failpoints.NONE);
        engine = Engine.recover(parts, 0, now);
    }

    private Reply ask(Command command) {
        var replies = new ArrayList<Reply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private Reply create(Owner owner, Token.Kind kind) {
        var hash = "hash-" + engine.state().marks().seq();
        var expiry =
                kind == Token.Kind.SESSION
                        ? Optional.of(now.plus(Duration.ofDays(30)))
                        : Optional.<Instant>empty();
        return ask(new Command.CreateToken(now, owner, new Token.Grant(kind, "n", hash, expiry)));
    }

    private TokenId created(Owner owner) {
        return ((Reply.Kept) create(owner, Token.Kind.TOKEN)).token().id();
    }

    private Reply revoke(Owner owner, TokenId id, boolean isAnyones) {
        return ask(new Command.RevokeToken(now, owner, id, isAnyones));
    }

    private boolean isGood(TokenId id) {
        return engine.state().tokens().get(id).orElseThrow().isGoodAt(now);
    }

    @Test
    void onlyItsOwnerOrAnAdminTakesATokenBack() {
        var mine = created(ANN);
        assertThat(revoke(BOB, mine, false)).isInstanceOf(Reply.Refused.class);
        assertThat(isGood(mine)).isTrue();
        assertThat(revoke(BOB, mine, true)).isInstanceOf(Reply.Kept.class);
        assertThat(isGood(mine)).isFalse();
        var other = created(ANN);
        assertThat(revoke(ANN, other, false)).isInstanceOf(Reply.Kept.class);
        assertThat(store.peek().tokens()).noneMatch(token -> token.isGoodAt(now));
    }

    @Test
    void whatHappenedToATokenIsToldWithoutItsHash() {
        revoke(ANN, created(ANN), false);
        var events = store.eventsAfter(1, 10);
        assertThat(events)
                .extracting(Event::kind)
                .containsExactly(Event.Kind.TOKEN_CREATED, Event.Kind.TOKEN_REVOKED);
        assertThat(events.toString()).doesNotContain("hash-");
        revoke(ANN, new TokenId(1), false);
        assertThat(store.eventsAfter(1, 10)).hasSize(2);
    }

    @Test
    void aSessionMoreEndsTheOldest() {
        for (int i = 0; i < 101; i++) {
            assertThat(create(ANN, Token.Kind.SESSION)).isInstanceOf(Reply.Kept.class);
        }
        assertThat(isGood(new TokenId(1))).isFalse();
        assertThat(isGood(new TokenId(2))).isTrue();
        assertThat(isGood(new TokenId(101))).isTrue();
    }

    @Test
    void endedOnesAreForgottenAfterAMonthButNoIdComesTwice() {
        var first = created(ANN);
        var second = created(ANN);
        var third = created(ANN);
        revoke(ANN, first, false);
        revoke(ANN, third, false);
        now = now.plus(Duration.ofDays(31));
        ask(new Command.Tick(now));
        assertThat(engine.state().tokens().values())
                .extracting(Token::id)
                .containsExactly(second, third);
        assertThat(store.peek().tokens()).hasSize(2);
        assertThat(created(ANN)).isEqualTo(new TokenId(4));
    }

    @Test
    void aTokenThatWasNotKeptIsNone() {
        store.failNextCommits(1, StoreFailure.Kind.FULL);
        assertThat(create(ANN, Token.Kind.TOKEN)).isInstanceOf(Reply.Unavailable.class);
        assertThat(engine.state().tokens().isEmpty()).isTrue();
    }
}
