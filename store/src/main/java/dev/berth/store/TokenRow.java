package dev.berth.store;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.task.Owner;

import java.sql.SQLException;

/** A token or a login session as a row of {@code token}. */
final class TokenRow {

    static final SqlTable TABLE = SqlTable.checked("token");

    private static final Column ID = TABLE.key("id");
    private static final Column KIND = TABLE.column("kind");
    private static final Column NAME = TABLE.column("name");
    private static final Column HASH = TABLE.column("hash");
    private static final Column OWNER_PRINCIPAL = TABLE.column("owner_principal");
    private static final Column OWNER_NAME = TABLE.column("owner_name");
    private static final Column CREATED_AT = TABLE.column("created_at");
    private static final Column EXPIRES_AT = TABLE.column("expires_at");
    private static final Column REVOKED_AT = TABLE.column("revoked_at");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();
    private static final String DELETE = TABLE.deleteByKey();

    private TokenRow() {}

    static void save(SqlSession session, Token token) throws SQLException {
        var grant = token.credential();
        session.prepared(UPSERT)
                .set(ID, token.id().value())
                .set(KIND, EnumText.of(grant.kind()))
                .set(NAME, grant.name())
                .set(HASH, grant.hash())
                .set(OWNER_PRINCIPAL, token.owner().principal())
                .set(OWNER_NAME, token.owner().name())
                .set(CREATED_AT, token.createdAt())
                .setTime(EXPIRES_AT, grant.expiresAt())
                .setTime(REVOKED_AT, token.revokedAt())
                .run();
    }

    static void delete(SqlSession session, TokenId id) throws SQLException {
        session.prepared(DELETE).set(ID, id.value()).run();
    }

    static Token read(ResultRow row) throws SQLException {
        var grant =
                new Token.Credential(
                        EnumText.parse(Token.Kind.class, row.text(KIND)),
                        row.text(NAME),
                        row.text(HASH),
                        row.optionalTime(EXPIRES_AT));
        return new Token(
                new TokenId(row.number(ID)),
                grant,
                new Owner(row.text(OWNER_PRINCIPAL), row.text(OWNER_NAME)),
                row.time(CREATED_AT),
                row.optionalTime(REVOKED_AT));
    }
}
