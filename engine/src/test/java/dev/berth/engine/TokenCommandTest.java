package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Owner;
import dev.berth.port.Event;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Creation, expiry and revocation of tokens and sessions. */
class TokenCommandTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final Owner BOB = Owner.unix("bob");

    private final MemoryStore store = new MemoryStore();
    private Engine engine;
    private Instant now = Instant.parse("2025-11-15T08:00:00Z");

    @BeforeEach
    void start() throws Exception {
        var parts =
                new Engine.Parts(
                        store,
                        new FakeNode(),
                        new Planner(SchedulingRules.DEFAULT),
                        Failpoints.NONE);
        engine = Engine.recover(parts, 0, now);
    }

    private EngineReply ask(EngineCommand command) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private EngineReply create(Owner owner, Token.Kind kind) {
        var hash = "hash-" + engine.state().lastIds().seq();
        var expiry =
                kind == Token.Kind.SESSION
                        ? Optional.of(now.plus(Duration.ofDays(30)))
                        : Optional.<Instant>empty();
        return ask(
                new EngineCommand.CreateToken(
                        now, owner, new Token.Credential(kind, "n", hash, expiry)));
    }

    private TokenId created(Owner owner) {
        return ((EngineReply.TokenKept) create(owner, Token.Kind.TOKEN)).token().id();
    }

    private EngineReply revoke(Owner owner, TokenId id, boolean isAnyones) {
        return ask(new EngineCommand.RevokeToken(now, owner, id, isAnyones));
    }

    private boolean isGood(TokenId id) {
        return engine.state().tokens().get(id).orElseThrow().isValidAt(now);
    }

    @Test
    void onlyTheOwnerOrAnAdminCanRevokeAToken() {
        var mine = created(ANN);
        assertThat(revoke(BOB, mine, false)).isInstanceOf(EngineReply.Refused.class);
        assertThat(isGood(mine)).isTrue();
        assertThat(revoke(BOB, mine, true)).isInstanceOf(EngineReply.TokenKept.class);
        assertThat(isGood(mine)).isFalse();
        var other = created(ANN);
        assertThat(revoke(ANN, other, false)).isInstanceOf(EngineReply.TokenKept.class);
        assertThat(store.peek().tokens()).noneMatch(token -> token.isValidAt(now));
    }

    @Test
    void tokenEventsDoNotContainTheHash() {
        revoke(ANN, created(ANN), false);
        var events = store.eventsAfter(1, 10);
        assertThat(events)
                .extracting(Event::kind)
                .containsExactly("token.created", "token.revoked");
        assertThat(events.toString()).doesNotContain("hash-");
        revoke(ANN, new TokenId(1), false);
        assertThat(store.eventsAfter(1, 10)).hasSize(2);
    }

    @Test
    void oneSessionTooManyEndsTheOldest() {
        for (int i = 0; i < 101; i++) {
            assertThat(create(ANN, Token.Kind.SESSION)).isInstanceOf(EngineReply.TokenKept.class);
        }
        assertThat(isGood(new TokenId(1))).isFalse();
        assertThat(isGood(new TokenId(2))).isTrue();
        assertThat(isGood(new TokenId(101))).isTrue();
    }

    @Test
    void endedTokensAreDeletedAfterAMonthAndIdsAreNotReused() {
        var first = created(ANN);
        var second = created(ANN);
        var third = created(ANN);
        revoke(ANN, first, false);
        revoke(ANN, third, false);
        now = now.plus(Duration.ofDays(31));
        ask(new EngineCommand.Tick(now));
        assertThat(engine.state().tokens().values())
                .extracting(Token::id)
                .containsExactly(second, third);
        assertThat(store.peek().tokens()).hasSize(2);
        assertThat(created(ANN)).isEqualTo(new TokenId(4));
    }

    @Test
    void aTokenThatWasNotCommittedIsInvalid() {
        store.failNextCommits(1, StoreFailure.Kind.FULL);
        assertThat(create(ANN, Token.Kind.TOKEN)).isInstanceOf(EngineReply.Unavailable.class);
        assertThat(engine.state().tokens().isEmpty()).isTrue();
    }
}
