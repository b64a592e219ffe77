package dev.berth.wire;

import java.util.List;
import java.util.Map;

/**
 * Why something waits.
 *
 * @param detail plain English
 * @param code for programs and translations
 * @param params the values in {@code detail}
 * @param parts finer reasons, one per card
 */
public record Reason(String detail, String code, Map<String, String> params, List<Reason> parts) {}
