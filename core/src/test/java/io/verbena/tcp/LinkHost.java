package io.verbena.tcp;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A host, what it has to send, and what it has received. */
final class LinkHost implements StreamEvents, StreamLoop.ConnectEvents {
    final LinkTcp tcp;
    final List<String> failures = new ArrayList<>();
    byte[] toSend = {};
    private int sent;
    final ByteBuffer received = ByteBuffer.allocate(4 << 20);

    @Nullable
    ByteStream byteStream;

    LinkHost(LinkTcp tcp) {
        this.tcp = tcp;
    }

    ByteStream stream() {
        ByteStream currentStream = byteStream;
        if (currentStream == null) {
            throw new IllegalStateException("not connected");
        }
        return currentStream;
    }

    void begin(ByteStream newStream) {
        byteStream = newStream;
        tcp.attach(newStream, this);
        onWritable();
    }

    @Override
    public void onConnected(ByteStream newStream) {
        begin(newStream);
    }

    @Override
    public void onConnectFailed(boolean refused, String sentence) {
        failures.add(sentence);
    }

    @Override
    public void onReadable() {
        try {
            int count;
            while ((count = stream().read(received)) > 0) {
                // all of it
            }
            if (count == ByteStream.END) {
                stream().close(false);
            }
        } catch (IOException e) {
            failures.add(e.getMessage());
        }
    }

    @Override
    public void onWritable() {
        try {
            sent += stream().write(ByteBuffer.wrap(toSend, sent, toSend.length - sent));
            stream().wantWritable(sent < toSend.length);
        } catch (IOException e) {
            failures.add(e.getMessage());
        }
    }

    byte[] got() {
        return Arrays.copyOf(received.array(), received.position());
    }
}
