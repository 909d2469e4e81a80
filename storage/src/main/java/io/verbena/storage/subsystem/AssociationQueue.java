package io.verbena.storage.subsystem;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.wire.Status;
import java.util.Optional;

/** A queue as the association sees it that the queue belongs to. */
abstract class AssociationQueue {

    /** The number of the queue: 0 is the admin queue. */
    public abstract int id();

    /** Whether the connection has ended and no thread uses the memory of this queue. */
    public abstract boolean drained();

    /** Whether a command uses the device, or will when its data have arrived. */
    abstract boolean uses(BlockDevice device);

    /** Whether a command that changes blocks arrived by this time and has not ended. */
    abstract boolean changesBlocksSince(long sinceNs);

    /** The command is answered later, by a call that is not about it. */
    abstract void waits(Command command);

    /** Ends a command. */
    abstract void respond(Command command, Status status, long result);

    /** Ends the connection. */
    abstract void close();

    /** What has happened in this queue; empty before it connected. */
    abstract Optional<TargetFigures.OfQueue> figures();
}
