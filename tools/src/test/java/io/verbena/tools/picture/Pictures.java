package io.verbena.tools.picture;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** Looks into pictures. */
public final class Pictures {

    private Pictures() {}

    /** The root element; throws when the text is not well-formed XML. */
    public static Element parse(String picture) {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(picture)))
                    .getDocumentElement();
        } catch (SAXException | IOException | ParserConfigurationException e) {
            throw new AssertionError("Not well-formed: " + e.getMessage(), e);
        }
    }

    /** All words that are drawn. */
    public static List<String> texts(Element svg) {
        List<String> texts = new ArrayList<>();
        NodeList nodes = svg.getElementsByTagName("text");
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent());
        }
        return texts;
    }

    /** Elements of a name. */
    public static List<Element> elements(Element svg, String name) {
        List<Element> elements = new ArrayList<>();
        NodeList nodes = svg.getElementsByTagName(name);
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }

    /** The number in an attribute. */
    public static double number(Element element, String attribute) {
        return Double.parseDouble(element.getAttribute(attribute));
    }
}
