/**
 * A <em>card</em> is one GPU of one node, known by its UUID because indices change. A
 * <em>reading</em> is what the driver said of it at one moment; where the driver said nothing, the
 * value is absent and never zero. An <em>occupant</em> is a process on it, and <em>whose</em> it is
 * decides whether it stands in the way.
 */
@NullMarked
package dev.berth.core.card;

import org.jspecify.annotations.NullMarked;
