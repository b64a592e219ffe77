package dev.berth.wire;

import java.util.List;
import java.util.Map;

/**
 * Why a task waits.
 *
 * @param detail plain English
 * @param code for programs and translations
 * @param params the values in {@code detail}
 * @param parts detailed reasons, one per GPU
 */
public record Reason(String detail, String code, Map<String, String> params, List<Reason> parts) {}
