package dev.berth.store;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.task.Owner;

import java.sql.SQLException;
import java.util.List;

/** A token or a session as a row of {@code token}. */
final class TokenRow {

    static final List<String> COLUMNS =
            List.of(
                    "id",
                    "kind",
                    "name",
                    "hash",
                    "owner_principal",
                    "owner_name",
                    "created_at",
                    "expires_at",
                    "revoked_at");

    private static final String UPSERT = Sql.upsert("token", 1, COLUMNS);
    private static final String DROP = "DELETE FROM token WHERE id = ?";

    private TokenRow() {}

    static void save(Session session, Token token) throws SQLException {
        var grant = token.grant();
        session.prepared(UPSERT)
                .number(token.id().value())
                .text(Words.of(grant.kind()))
                .text(grant.name())
                .text(grant.hash())
                .text(token.owner().principal())
                .text(token.owner().name())
                .time(token.createdAt())
                .number(Micros.of(grant.expiresAt()))
                .number(Micros.of(token.revokedAt()))
                .run();
    }

    static void drop(Session session, TokenId id) throws SQLException {
        session.prepared(DROP).number(id.value()).run();
    }

    static Token read(Fields row) throws SQLException {
        var id = new TokenId(row.number());
        var kind = Words.value(Token.Kind.class, row.text());
        var name = row.text();
        var hash = row.text();
        var owner = new Owner(row.text(), row.text());
        var createdAt = row.time();
        var grant = new Token.Grant(kind, name, hash, Micros.instant(row.optionalNumber()));
        return new Token(id, grant, owner, createdAt, Micros.instant(row.optionalNumber()));
    }
}
