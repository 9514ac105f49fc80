//! The figure of E7: what is left of memories, night by night, with feelings and without.
//!
//! Dots are what the documents of the nights tell, lines what the law says. Colours are told apart by those who see
//! few.

use crate::counts::decay::Curve;
use anyhow::anyhow;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Of |v| = 0 to 3.
const COLOURS: [RGBColor; 4] =
    [RGBColor(110, 110, 110), RGBColor(0, 114, 178), RGBColor(204, 121, 0), RGBColor(170, 30, 60)];
const SIZE: (u32, u32) = (1_100, 520);
const FONT: &str = "sans-serif";

pub fn decay(felt: &[Curve], flat: &[Curve]) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let fail = |error: &dyn std::fmt::Display| anyhow!("drawing the decay of memories: {error}");
        area.fill(&WHITE).map_err(|e| fail(&e))?;
        let (left, right) = area.split_horizontally(SIZE.0 / 2);
        // The same scale on both sides, so that they can be compared at a glance.
        let ends = felt.iter().chain(flat).filter_map(|curve| curve.points.last());
        let nights = ends.map(|(night, ..)| *night).max().unwrap_or(1).max(10);
        panel(&left, "With feelings: the stronger, the longer", felt, nights).map_err(|e| fail(&e))?;
        panel(&right, "Ablated: all fade alike", flat, nights).map_err(|e| fail(&e))?;
        area.present().map_err(|e| fail(&e))?;
    }
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn panel(area: &Area, title: &str, curves: &[Curve], nights: u32) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let right = f64::from(nights) * 1.02;
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 20))
        .margin(12)
        .margin_right(20)
        .x_label_area_size(44)
        .y_label_area_size(58)
        .build_cartesian_2d(0.0..right, 0.0..1.0)?;
    chart
        .configure_mesh()
        .x_desc("nights since the first")
        .y_desc("salience that is left")
        .axis_desc_style((FONT, 15))
        .label_style((FONT, 13))
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(228, 228, 228))
        .x_labels(7)
        .y_labels(6)
        .x_label_formatter(&|night| format!("{night:.0}"))
        .y_label_formatter(&|share| format!("{:.0} %", share * 100.0))
        .draw()?;
    let half = [(0.0, 0.5), (right, 0.5)];
    chart.draw_series(DashedLineSeries::new(half, 5, 4, RGBColor(150, 150, 150).stroke_width(1)))?;
    // Strongest first and widest, so that lines in one place are seen to be several.
    for curve in curves.iter().rev() {
        let felt = usize::from(curve.felt).min(3);
        let colour = COLOURS[felt];
        let end = curve.points.last().map_or(0, |(night, ..)| *night);
        let law = |night: f64| (curve.fit.at_zero + curve.fit.slope * night).exp();
        let steps = (0..=end * 2).map(|half| f64::from(half) / 2.0).map(|night| (night, law(night)));
        chart.draw_series(LineSeries::new(steps, colour.stroke_width(2 + felt as u32)))?;
    }
    for (place, curve) in curves.iter().enumerate() {
        let felt = usize::from(curve.felt).min(3);
        let colour = COLOURS[felt];
        let told = curve.points.iter().filter(|(night, ..)| *night as usize % 4 == felt);
        let dots = told.map(|(night, share, _)| Circle::new((f64::from(*night), *share), 4, colour.filled()));
        chart.draw_series(dots)?;
        let text = format!("|v| = {}: half-life {:.1} nights", curve.felt, curve.half_life_nights());
        let style = TextStyle::from((FONT, 16)).color(&colour).pos(Pos::new(HPos::Right, VPos::Center));
        let at = (right * 0.98, 0.94 - 0.055 * (curves.len() - 1 - place) as f64);
        chart.draw_series(std::iter::once(Text::new(text, at, style)))?;
    }
    Ok(())
}
