/**
 * A file server and its client: files offered as memory regions, and copied by RDMA Reads and Writes. {@code docs/files.md}
 * describes the protocol; {@link io.verbena.files.protocol.FileMessage} draws its messages.
 *
 * <p>{@link io.verbena.files.FileServer} serves what an {@link io.verbena.files.store.ExportTable} offers, {@link
 * io.verbena.files.Copier} copies one file. Neither prints: a {@link io.verbena.files.ServeListener} or a {@link
 * io.verbena.files.CopyListener} observes them, and a {@link io.verbena.files.failure.StopRequest} ends them.
 */
@NullMarked
package io.verbena.files;

import org.jspecify.annotations.NullMarked;
