package dev.berth.core.task;

import dev.berth.core.card.CardId;

/**
 * What an attempt holds of one card.
 *
 * @param mib memory promised to it there; 0 when it named none
 * @param exclusive nobody else's attempt may hold this card
 */
public record Claim(CardId card, long mib, boolean exclusive) {}
