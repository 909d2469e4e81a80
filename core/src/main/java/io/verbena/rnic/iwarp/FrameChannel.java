package io.verbena.rnic.iwarp;

import io.verbena.iwarp.FramePath;
import io.verbena.port.FrameStream;
import io.verbena.port.ShortMessages;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Sends short FPDUs within the calls that post them, in short form if the stream and the peer have that. */
final class FrameChannel implements FramePath {

    private final FrameStream stream;
    private final Optional<ShortMessages> messages;

    FrameChannel(FrameStream stream) {
        this.stream = stream;
        messages = stream.messages();
    }

    @Override
    public boolean send(ByteBuffer frame, int bytes) {
        return stream.writeFrame(frame, bytes);
    }

    @Override
    public boolean shortens() {
        return messages.isPresent() && messages.get().wanted();
    }

    @Override
    public boolean sendShort(ByteBuffer message, int bytes) {
        return messages.isPresent() && messages.get().write(message, bytes);
    }
}
