package dev.berth.wire.offenders;

import tools.jackson.databind.JsonNode;

/** Uses a JSON library in the values that the CLI shares. */
public record UsesJson(JsonNode tree) {}
