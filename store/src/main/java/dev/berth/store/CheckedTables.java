package dev.berth.store;

import java.util.List;

/** All tables whose rows have checksums. */
final class CheckedTables {

    static final List<SqlTable> ALL =
            List.of(
                    ServerRow.TABLE,
                    TaskRow.TABLE,
                    ShellRow.TABLE,
                    ScriptRow.TABLE,
                    AttemptRow.TABLE,
                    ClaimRow.TABLE,
                    GpuRow.TABLE,
                    EventRow.TABLE,
                    SubmitKeyRow.TABLE,
                    TokenRow.TABLE,
                    UsageRow.TABLE,
                    FileRunRow.TABLE,
                    GpuFaultRow.TABLE,
                    EstimateRow.TABLE,
                    CallResultRow.TABLE,
                    ModelRow.TABLE,
                    ForgottenRunsRow.TABLE);

    private CheckedTables() {}

    static List<String> keysOf(String table) {
        return ALL.stream()
                .filter(one -> one.name().equals(table))
                .findFirst()
                .map(SqlTable::keys)
                .orElse(List.of());
    }
}
