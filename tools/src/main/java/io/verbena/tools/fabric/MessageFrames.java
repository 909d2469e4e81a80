package io.verbena.tools.fabric;

import io.verbena.tools.fabric.Transaction.Frame;
import io.verbena.tools.fabric.Transaction.Piece;
import io.verbena.wire.ib.IbOpcode;
import java.util.ArrayList;
import java.util.List;

/** How a SANIC divides a message into frames: each but the last is full, and a frame takes pieces of as many buffers as it needs. */
final class MessageFrames {

    private MessageFrames() {}

    static List<Frame> of(Transaction.Setting setting) {
        List<Frame> frames = new ArrayList<>();
        int part = 0;
        int offset = 0;
        int firstFlit = 0;
        int left = setting.length();
        while (left > 0) {
            List<Piece> pieces = new ArrayList<>();
            int space = Math.min(left, setting.payload());
            int bytes = Transaction.HEADERS + space + Transaction.TRAILER;
            left -= space;
            while (space > 0) {
                int length = Math.min(space, setting.parts().get(part) - offset);
                pieces.add(new Piece(part, offset, length));
                space -= length;
                offset += length;
                if (offset == setting.parts().get(part)) {
                    part++;
                    offset = 0;
                }
            }
            Frame frame = new Frame(frames.size(), opcode(frames.isEmpty(), left == 0), pieces, bytes, firstFlit);
            frames.add(frame);
            firstFlit += frame.flits();
        }
        return List.copyOf(frames);
    }

    private static IbOpcode opcode(boolean first, boolean last) {
        if (first) {
            return last ? IbOpcode.RC_SEND_ONLY : IbOpcode.RC_SEND_FIRST;
        }
        return last ? IbOpcode.RC_SEND_LAST : IbOpcode.RC_SEND_MIDDLE;
    }
}
