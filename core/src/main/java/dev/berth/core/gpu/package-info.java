/**
 * A GPU is identified by its UUID because indices change. A <em>reading</em> is what the driver
 * reported about it at one moment; a value that the driver did not report is absent, never zero.
 * The <em>owner</em> of a process on a GPU decides whether it keeps tasks from starting there. A
 * <em>fault</em> is why a GPU is quarantined.
 */
@NullMarked
package dev.berth.core.gpu;

import org.jspecify.annotations.NullMarked;
