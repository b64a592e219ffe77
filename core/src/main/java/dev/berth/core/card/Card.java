package dev.berth.core.card;

/**
 * A card once seen stays known.
 *
 * @param index the number the driver gives it now, in PCI bus order
 */
public record Card(CardId id, int index, String model, long totalMib) {}
