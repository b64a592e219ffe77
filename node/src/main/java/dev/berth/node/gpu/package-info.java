/**
 * The GPUs of this host. A <em>source</em> is chosen by name ({@code --gpus}), and a <em>probe</em>
 * reads it and returns <em>rows</em>. From successive answers the state of each GPU is derived, the
 * owners of its processes are found, and the GPU use of each attempt is accumulated. Ended attempts
 * that may still be on a GPU are tracked until they are off it. Health readings and driver errors
 * reveal <em>faults</em>; a quarantined GPU is <em>tested</em> before it returns to use. One class
 * drives all of this and reports facts.
 */
@NullMarked
package dev.berth.node.gpu;

import org.jspecify.annotations.NullMarked;
