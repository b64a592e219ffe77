package dev.berth.wire;

import java.util.List;

/** What abnormal ends have left behind. */
public record CleanupList(List<LeftRecord> records, List<LeftProcess> processes) {}
