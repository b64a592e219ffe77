package dev.berth.wire;

import java.util.List;

/** Leftover records and processes of abnormal ends. */
public record CleanupList(List<LeftRecord> records, List<LeftProcess> processes) {}
