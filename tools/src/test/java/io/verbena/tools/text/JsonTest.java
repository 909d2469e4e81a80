package io.verbena.tools.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTest {

    @Test
    void strings_specialCharacters_escaped() {
        assertEquals("\"a\\\"b\\\\c\\n\\r\\t\\u0000\\u001f\\u007f\"", Json.write("a\"b\\c\n\r\t\0\u001f\u007f"));
    }

    @Test
    void strings_outsideAscii_escapedAsUtf16() {
        assertEquals("\"\\u00e4\\ud83d\\ude00\"", Json.write("\u00e4\ud83d\ude00"));
    }

    @Test
    void numbers_allKinds_written() {
        assertEquals(
                "[1,-9223372036854775808,0.5,3,0,1.0E20]",
                Json.write(List.of(1, Long.MIN_VALUE, 0.5, 3.0, -0.0, 1e20)));
    }

    @Test
    void numbers_thatJsonLacks_becomeNull() {
        assertEquals(
                "[null,null,null]", Json.write(List.of(Double.NaN, Double.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY)));
    }

    @Test
    void arrays_emptyAndNull_written() {
        assertEquals("[[],null,true]", Json.write(Arrays.asList(List.of(), null, true)));
    }

    @Test
    void objects_keepTheirOrder() {
        JsonObject object = new JsonObject()
                .put("z", 1)
                .put("a", "x")
                .put("inner", new JsonObject().put("yes", true))
                .putStrings("words", List.of("b", "a"))
                .putObjects("list", List.of(new JsonObject(), new JsonObject().put("n", 0.25)));
        assertEquals(
                "{\"z\":1,\"a\":\"x\",\"inner\":{\"yes\":true},\"words\":[\"b\",\"a\"],\"list\":[{},{\"n\":0.25}]}",
                object.toString());
    }

    @Test
    void objects_memberPutAgain_replacesTheFirst() {
        assertEquals(
                "{\"ok\":true}",
                new JsonObject().put("ok", false).put("ok", true).toString());
    }

    @Test
    void otherTypes_refused() {
        assertThrows(IllegalArgumentException.class, () -> Json.write(new Object()));
    }
}
