package dev.berth.wire.offenders;

import tools.jackson.databind.JsonNode;

/** Offends by a JSON library outside the server. */
public record SpeaksJson(JsonNode tree) {}
