/**
 * Files offered as memory regions, and copied by RDMA Reads and Writes. {@code docs/files.md} tells how the two ends speak;
 * {@link io.verbena.tools.files.FileMessage} draws what they say.
 */
@NullMarked
package io.verbena.tools.files;

import org.jspecify.annotations.NullMarked;
