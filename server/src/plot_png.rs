//! A picture of a plot as pixels: the SVG that everybody gets, with the letters of a font that is in the program, since
//! a server has none. What is drawn is what `plot_pictures` says.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::fmt::Write;
use ttf_parser::{Face, OutlineBuilder};

/// Pixels a unit of the SVG: sharp also where the screen has two for one.
const SCALE: f32 = 1.5;

/// DejaVu Serif, which the SVG names too.
struct Letters(Face<'static>);

impl Letters {
    fn new() -> anyhow::Result<Letters> {
        Ok(Letters(Face::parse(dejavu::serif::regular(), 0)?))
    }
}

impl plot::Letters for Letters {
    fn outline(&self, words: &str, size: u32) -> (String, f32) {
        let face = &self.0;
        let mut path = Path { data: String::new(), scale: size as f32 / f32::from(face.units_per_em()), x: 0.0 };
        for letter in words.chars() {
            // A letter that the font lacks is its box; a control byte is nothing.
            if letter.is_control() {
                continue;
            }
            let glyph = face.glyph_index(letter).unwrap_or_default();
            let _no_outline = face.outline_glyph(glyph, &mut path);
            path.x += f32::from(face.glyph_hor_advance(glyph).unwrap_or_default()) * path.scale;
        }
        (path.data, path.x)
    }
}

/// Path data, as outlines come. A font's y goes up.
struct Path {
    data: String,
    /// Pixels a unit of the font.
    scale: f32,
    /// Where the letter at hand begins.
    x: f32,
}

impl Path {
    fn add(&mut self, command: char, points: &[(f32, f32)]) {
        self.data.push(command);
        for (x, y) in points {
            // Writing to a String cannot fail.
            let _ = write!(self.data, "{:.2} {:.2} ", self.x + x * self.scale, -y * self.scale);
        }
    }
}

impl OutlineBuilder for Path {
    fn move_to(&mut self, x: f32, y: f32) {
        self.add('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.add('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.add('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.add('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.data.push('Z');
    }
}

/// The picture as a PNG file. It takes some milliseconds of one processor.
pub fn png(picture: &plot::Picture) -> anyhow::Result<Vec<u8>> {
    let drawn = plot::outlined_svg(picture, &Letters::new()?);
    let tree = Tree::from_str(&drawn, &Options::default())?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or_else(|| anyhow::anyhow!("the picture has no size"))?;
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| anyhow::anyhow!("no room for a picture of {} by {}", size.width(), size.height()))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    Ok(pixels.encode_png()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plot::{Grid, Kinds, Picture};

    fn pixels(title: &str) -> Pixmap {
        let (grid, kinds) = (Grid::default(), Kinds::default());
        let (axes, task) = (None, None);
        let drawn =
            png(&Picture { title, about: "", grid: &grid, kinds: &kinds, axes, task, contested: &[], pending: &[] });
        Pixmap::decode_png(&drawn.expect("it is drawn")).expect("it is a PNG")
    }

    /// Dark ones above the field, where only words are.
    fn dark(pixels: &Pixmap) -> usize {
        let above = pixels.pixels().iter().take(pixels.width() as usize * 120);
        above.filter(|pixel| pixel.red() < 90).count()
    }

    #[test]
    fn words_are_drawn_without_a_font_of_the_machine() {
        let [none, few, many] = ["", "The Far", "The Far Corner"].map(|title| dark(&pixels(title)));
        assert!(none == 0 && few > 200 && many > few + 200, "{none}, {few}, {many}");
    }

    #[test]
    fn whatever_a_title_holds_is_drawn() {
        for title in ["\u{1b}[2J\u{0}", "名", "<b>&amp;", "\u{202e}abc", &"W".repeat(4_000)] {
            assert!(pixels(title).width() > 1_000, "{title:?}");
        }
    }
}
