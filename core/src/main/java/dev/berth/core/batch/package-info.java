/**
 * The {@code #SBATCH} lines of a script. An <em>option</em> is one option of such a line. Berth has
 * a field of its own for some options, decides some itself, refuses some, and <em>passes on</em>
 * the others to {@code sbatch}.
 */
@NullMarked
package dev.berth.core.batch;

import org.jspecify.annotations.NullMarked;
