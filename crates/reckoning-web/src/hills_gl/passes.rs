//! What is drawn in which order.
//!
//! What covers comes first, the nearest of it at the beginning: bodies, structures, ground. What is
//! seen through comes last: the lake, shadows, translucent bodies.

use web_sys::WebGl2RenderingContext as Gl;

use super::buffers::Buffers;
use super::context::{Context, TINT};
use crate::hills::colours::HillsColours;
use crate::hills::models::Model;
use crate::hills::tiles::{Tile, seen};
use crate::hills::view::View;

/// How much of the lake's own colour is over its ground.
const WATER_OPACITY: f32 = 0.78;

/// Draws a picture: meshes and the instances that were handed over last.
pub fn draw(
    context: &Context,
    buffers: &Buffers,
    view: &View,
    colours: &HillsColours,
    viewport: [i32; 4],
) {
    let gl = &context.gl;
    begin(context, view, colours, viewport);
    gl.bind_vertex_array(Some(&buffers.moving));
    let [solid, clear] = &buffers.batches;
    for batch in solid {
        buffers.draw_batch(gl, *batch);
    }
    gl.bind_vertex_array(Some(&buffers.still));
    gl.vertex_attrib4f(TINT, 0.0, 0.0, 0.0, 1.0);
    draw_tiles(gl, &buffers.structures, view);
    // A little behind what lies on it: roads, rails and shadows.
    gl.enable(Gl::POLYGON_OFFSET_FILL);
    gl.polygon_offset(1.0, 2.0);
    draw_tiles(gl, &buffers.ground, view);
    gl.disable(Gl::POLYGON_OFFSET_FILL);
    gl.enable(Gl::BLEND);
    gl.vertex_attrib4f(TINT, 0.0, 0.0, 0.0, WATER_OPACITY);
    draw_stretch(gl, buffers.water);
    gl.bind_vertex_array(Some(&buffers.moving));
    for batch in clear {
        // Shadows lie on each other; translucent bodies hide what is inside of them.
        gl.depth_mask(batch.0 != Model::Disc);
        buffers.draw_batch(gl, *batch);
    }
    gl.depth_mask(true);
    gl.disable(Gl::BLEND);
}

/// An empty picture, and what the program is told about it.
fn begin(context: &Context, view: &View, colours: &HillsColours, [x, y, w, h]: [i32; 4]) {
    let (gl, uniforms) = (&context.gl, &context.uniforms);
    // The page counts from above, the card from below.
    let low = context.height() - y - h;
    gl.viewport(x, low, w, h);
    gl.scissor(x, low, w, h);
    let [red, green, blue] = colours.sky.map(|it| f32::from(it) / 255.0);
    gl.clear_color(red, green, blue, 1.0);
    gl.clear(Gl::COLOR_BUFFER_BIT | Gl::DEPTH_BUFFER_BIT);
    gl.uniform_matrix4fv_with_f32_array(uniforms.view.as_ref(), false, &view.matrix());
    let eye = view.eye.as_vec3();
    gl.uniform3f(uniforms.eye.as_ref(), eye.x, eye.y, eye.z);
    gl.uniform3f(uniforms.sky.as_ref(), red, green, blue);
    let [from_sky, from_ground, from_sun] = colours.light;
    gl.uniform3f(uniforms.light.as_ref(), from_sky, from_ground, from_sun);
}

fn draw_tiles(gl: &Gl, tiles: &[Tile], view: &View) {
    for stretch in seen(tiles, view) {
        draw_stretch(gl, stretch);
    }
}

fn draw_stretch(gl: &Gl, stretch: [u32; 2]) {
    let [first, count] = stretch.map(u32::cast_signed);
    gl.draw_elements_with_i32(Gl::TRIANGLES, count, Gl::UNSIGNED_INT, first * 4);
}
