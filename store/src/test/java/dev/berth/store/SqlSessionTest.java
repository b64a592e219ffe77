package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class SqlSessionTest {

    @TempDir private Path home;

    @Test
    void keepsFewStatementsAndNeverClosesOneInUse() throws Exception {
        var database = Database.open(home.resolve("runtime/tasks.db"));
        try (var session = database.openReader();
                var open = session.prepared("SELECT 1 AS n UNION SELECT 2").query()) {
            var column = open.column("n");
            assertThat(open.next()).isTrue();
            for (int i = 0; i < 3 * SqlSession.MAX_STATEMENTS; i++) {
                try (var row = session.prepared("SELECT " + i + " AS n").query()) {
                    assertThat(row.next()).isTrue();
                }
            }
            assertThat(session.statementCount()).isEqualTo(SqlSession.MAX_STATEMENTS);
            assertThat(open.next()).isTrue();
            assertThat(open.number(column)).isEqualTo(2);
        }
    }
}
